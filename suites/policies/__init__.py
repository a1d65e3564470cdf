"""What peers see of policies, one file a family."""
