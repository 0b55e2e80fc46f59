"""Collections, assessments and runs made up to order: seeded, streamed, of any size.

What is imitated: the shape of the INEX Wikipedia collections (articles of sections, subsections and
paragraphs) and of highlighted assessments on them. What is not: words (text is filler, no query matches it),
links between articles, images and tables, assessors who disagree, and any dependence of a system's errors on
the topic beyond chance.
"""
