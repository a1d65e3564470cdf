"""What policies cost: load balancers by the thousand, rules on the way of packets, nodes full of pods."""
