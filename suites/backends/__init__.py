"""Where the suites run: one file a lane."""
