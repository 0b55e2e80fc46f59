"""What every example of every option prints and writes, recorded whole, so that nothing changes unseen."""
