"""The VFP of a port, as nftables rules inside the compartment that apply to the vNIC alone.

Windows keeps these rules in the vSwitch. Here they stand at the compartment's end of the same cable: bridges
have no connection tracking on every kernel, namespaces do, and the rules go with the namespace.
"""
