"""What a call costs by each way in, without a data plane, and how that grows with what is there."""
