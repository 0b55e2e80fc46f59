"""Synthetic collections, assessments and runs: seeded, streamed, of any size.

They imitate the shape of the INEX Wikipedia collections (articles of sections, subsections and paragraphs)
and of highlighted assessments on them. They do not imitate words (text is filler, which no query matches),
links between articles, images and tables, assessors who disagree, or any dependence of a system's errors on
the topic beyond chance.
"""
