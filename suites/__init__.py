"""How Windows container networking behaves, as tests that run on an emulator and on real machines."""
