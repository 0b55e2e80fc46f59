"""What a reader hopes to find: elements with their worth, what results lead to them, and how likely."""
