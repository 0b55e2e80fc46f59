"""A server of the Model Context Protocol: commands as tools for agents, within one folder.

A tool is a command with `--format json`, run in a process of its own: `tools.py` derives its parameters from
those that the command declares, `folder.py` keeps its files within the folder, `answers.py` keeps its answer
small, and `server.py` speaks the protocol.
"""
