"""What packets see: nodes, vSwitches, ports, VFP, VXLAN, WinNAT, on pyroute2 and nftables."""
