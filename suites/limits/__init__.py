"""Known limits of releases and their updates, each shown where it is and where it isn't."""
