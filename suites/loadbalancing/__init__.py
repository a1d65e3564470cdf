"""Load balancers: who is reached, who is seen, and by which way."""
