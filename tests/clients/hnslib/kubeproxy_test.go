package hnslib_test

import (
	"testing"

	"github.com/Microsoft/hnslib/hcn"
)

// How kube-proxy's winkernel package goes about services, in its order of calls.

// addresses tells endpoints apart as kube-proxy does: by their first address.
func addresses(t *testing.T, network *hcn.HostComputeNetwork) map[string]hcn.HostComputeEndpoint {
	t.Helper()
	endpoints, err := hcn.ListEndpointsOfNetwork(network.Id)
	check(t, err)
	found := map[string]hcn.HostComputeEndpoint{}
	for _, endpoint := range endpoints {
		found[endpoint.IpConfigurations[0].IpAddress] = endpoint
	}
	return found
}

// kube-proxy learns from the network which mode it works in, and from an overlay's routes where other nodes' pods are.
func TestKubeProxyReadsItsNetwork(t *testing.T) {
	for name, make := range map[string]func(*testing.T) *hcn.HostComputeNetwork{"lib-overlay": overlayNetwork, "lib-bridge": bridgeNetwork} {
		t.Run(name, func(t *testing.T) {
			made := make(t)
			network, err := hcn.GetNetworkByName(name)
			check(t, err)
			wantEqual(t, "id", network.Id, made.Id)
			wantEqual(t, "type", network.Type, made.Type)
		})
	}
}

func TestKubeProxyReadsRemoteSubnets(t *testing.T) {
	network := overlayNetwork(t)
	check(t, hcn.RemoteSubnetSupported())
	check(t, network.AddPolicy(networkPolicies(t, hcn.RemoteSubnetRoute, remoteSubnet)))
	policies := policiesOfNetwork(t, network, hcn.RemoteSubnetRoute)
	wantEqual(t, "routes", len(policies), 1)
	var route hcn.RemoteSubnetRoutePolicySetting
	unmarshal(t, policies[0].Settings, &route)
	wantEqual(t, "route", route, remoteSubnet)
}

func TestKubeProxyTellsRemoteEndpointsFromLocalOnes(t *testing.T) {
	network := overlayNetwork(t)
	local, remote := newEndpoint(t, network, "pod"), newRemoteEndpoint(t, network, "192.168.82.72")
	found := addresses(t, network)
	for address, want := range map[string]hcn.EndpointFlags{
		local.IpConfigurations[0].IpAddress: hcn.EndpointFlagsNone, "192.168.82.72": hcn.EndpointFlagsRemoteEndpoint,
	} {
		wantEqual(t, address, found[address].Flags&hcn.EndpointFlagsRemoteEndpoint, want)
	}
	wantEqual(t, "MAC", found["192.168.82.72"].MacAddress, "02-11-22-33-44-66")
	var provider hcn.ProviderAddressEndpointPolicySetting
	unmarshal(t, remote.Policies[0].Settings, &provider)
	wantEqual(t, "node", provider.ProviderAddress, "10.127.0.99")
}

// On an L2Bridge no endpoint says which node it's on, and any address will do.
func TestKubeProxyMakesRemoteEndpointsOnABridge(t *testing.T) {
	network := bridgeNetwork(t)
	remote, err := network.CreateRemoteEndpoint(&hcn.HostComputeEndpoint{
		Name:             "external",
		IpConfigurations: []hcn.IpConfig{{IpAddress: "198.51.100.7"}},
		MacAddress:       "02-11-22-33-44-68",
		SchemaVersion:    hcn.V2SchemaVersion(),
	})
	check(t, err)
	wantEqual(t, "flags", remote.Flags, hcn.EndpointFlagsRemoteEndpoint)
	wantEqual(t, "address", addresses(t, network)["198.51.100.7"].Id, remote.Id)
}

func TestARemoteEndpointNeedsAnAddress(t *testing.T) {
	_, err := overlayNetwork(t).CreateRemoteEndpoint(&hcn.HostComputeEndpoint{Name: "nowhere", SchemaVersion: hcn.V2SchemaVersion()})
	if err == nil {
		t.Error("it was made without one")
	}
}

// A service gets one load balancer for its cluster IP, one for its node port and one for each of its other addresses.
func TestKubeProxyMakesAServicesLoadBalancers(t *testing.T) {
	check(t, hcn.DSRSupported())
	network := overlayNetwork(t)
	backends := []hcn.HostComputeEndpoint{*newEndpoint(t, network, "pod"), *newRemoteEndpoint(t, network, "192.168.82.73")}
	source := newEndpoint(t, network, "source VIP").IpConfigurations[0].IpAddress
	for name, service := range map[string]struct {
		flags    hcn.LoadBalancerFlags
		mapping  hcn.LoadBalancerPortMappingFlags
		vips     []string
		external uint16
	}{
		"cluster IP": {hcn.LoadBalancerFlagsDSR, hcn.LoadBalancerPortMappingFlagsNone, []string{"10.96.0.40"}, 80},
		"node port":  {hcn.LoadBalancerFlagsDSR, hcn.LoadBalancerPortMappingFlagsLocalRoutedVIP, nil, 30081},
		"external":   {hcn.LoadBalancerFlagsDSR, hcn.LoadBalancerPortMappingFlagsPreserveDIP, []string{"203.0.113.40"}, 80},
		"ingress":    {hcn.LoadBalancerFlagsDSR, hcn.LoadBalancerPortMappingFlagsUseMux, []string{"203.0.113.41"}, 80},
	} {
		made, err := hcn.AddLoadBalancer(backends, service.flags, service.mapping, source, service.vips, 6, 8080, service.external)
		balancer := kept(t, made, err)
		wantEqual(t, name+": flags", balancer.Flags, service.flags)
		wantEqual(t, name+": flags of its port", balancer.PortMappings[0].Flags, service.mapping)
		wantEqual(t, name+": source", balancer.SourceVIP, source)
	}
	balancers, err := hcn.ListLoadBalancers()
	check(t, err)
	wantEqual(t, "load balancers", len(balancers), 4)
}

// A node port has one load balancer for each family, which differ in nothing but the flag.
func TestKubeProxyMakesANodePortForEachFamily(t *testing.T) {
	endpoint := newEndpoint(t, overlayNetwork(t), "pod")
	for _, flags := range []hcn.LoadBalancerFlags{hcn.LoadBalancerFlagsNone, hcn.LoadBalancerFlagsIPv6} {
		made, err := hcn.AddLoadBalancer([]hcn.HostComputeEndpoint{*endpoint}, flags|hcn.LoadBalancerFlagsDSR,
			hcn.LoadBalancerPortMappingFlagsLocalRoutedVIP, "", nil, 6, 8080, 30082)
		wantEqual(t, "flags", kept(t, made, err).Flags, flags|hcn.LoadBalancerFlagsDSR)
	}
}

// Where a load balancer can't be modified, kube-proxy deletes it and makes another.
func TestKubeProxyReplacesALoadBalancersBackends(t *testing.T) {
	network := overlayNetwork(t)
	first, second := newEndpoint(t, network, "first"), newRemoteEndpoint(t, network, "192.168.82.74")
	balancer := newBalancer(t, first)
	wanted := *balancer
	wanted.HostComputeEndpoints = []string{second.Id}
	replaced, err := wanted.Update(balancer.Id)
	if hcn.IsNotImplemented(err) {
		wantEqual(t, "in the list of features", hcn.ModifyLoadbalancerSupported() == nil, false)
		check(t, balancer.Delete())
		wanted.Id = ""
		replaced, err = wanted.Create()
	}
	wantBackends(t, kept(t, replaced, err), second)
}

func TestKubeProxyDeletesAnEndpointInUse(t *testing.T) {
	network := overlayNetwork(t)
	remote := newRemoteEndpoint(t, network, "192.168.82.75")
	balancer := newBalancer(t, remote)
	found, err := hcn.GetEndpointByID(remote.Id)
	check(t, err)
	check(t, found.Delete())
	_, err = hcn.GetEndpointByID(remote.Id)
	wantEqual(t, "not found", hcn.IsNotFoundError(err), true)
	wantBackends(t, balancer, remote) // and so must go by itself
	check(t, balancer.Delete())
}

// kube-proxy asks for what it knows by no id yet, and wants to hear that there is none.
func TestKubeProxyFindsNothingByNoId(t *testing.T) {
	newBalancer(t, newEndpoint(t, overlayNetwork(t), "pod"))
	_, err := hcn.GetLoadBalancerByID("")
	wantEqual(t, "load balancer not found", hcn.IsNotFoundError(err), true)
	_, err = hcn.GetEndpointByID("")
	wantEqual(t, "endpoint not found", hcn.IsNotFoundError(err), true)
	_, err = hcn.GetNetworkByName("")
	wantEqual(t, "network not found", hcn.IsNotFoundError(err), true)
}
