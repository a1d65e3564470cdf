"""What CI calls: benchmarks and set-up."""
