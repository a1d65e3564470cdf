package hcn_test

import (
	"strings"
	"testing"

	"github.com/Microsoft/hcsshim/hcn"
	"golang.org/x/sys/windows"
)

const (
	sourceVIP = "192.168.100.250"
	tcp       = uint16(hcn.ProtocolTypeTCP)
)

var vips = []string{"10.96.0.10", "10.96.0.11"}

// balancing describes a load balancer with these endpoints behind it.
func balancing(endpoints ...*hcn.HostComputeEndpoint) *hcn.HostComputeLoadBalancer {
	balancer := &hcn.HostComputeLoadBalancer{
		SourceVIP:    sourceVIP,
		FrontendVIPs: vips,
		PortMappings: []hcn.LoadBalancerPortMapping{
			{Protocol: uint32(hcn.ProtocolTypeTCP), InternalPort: 8080, ExternalPort: 8090},
		},
		SchemaVersion: hcn.V2SchemaVersion(),
	}
	for _, endpoint := range endpoints {
		balancer.HostComputeEndpoints = append(balancer.HostComputeEndpoints, endpoint.Id)
	}
	return balancer
}

// createBalancer creates a load balancer for the time of the test.
func createBalancer(t *testing.T, definition *hcn.HostComputeLoadBalancer) *hcn.HostComputeLoadBalancer {
	t.Helper()
	return owned(t, must(definition.Create())(t))
}

// owned deletes a load balancer at the end of the test.
func owned(t *testing.T, balancer *hcn.HostComputeLoadBalancer) *hcn.HostComputeLoadBalancer {
	t.Helper()
	id := balancer.Id
	t.Cleanup(func() {
		checkGone(t, (&hcn.HostComputeLoadBalancer{Id: id}).Delete(), hcn.ERROR_NOT_FOUND)
	})
	return balancer
}

func TestALoadBalancerIsCreatedAndDeleted(t *testing.T) {
	for _, kind := range []hcn.NetworkType{hcn.L2Bridge, hcn.Overlay} {
		t.Run(string(kind), func(t *testing.T) {
			endpoint := newEndpoint(t, newNetwork(t, kind))
			asked := balancing(endpoint)
			balancer := createBalancer(t, asked)
			wantEqual(t, balancer.SourceVIP, asked.SourceVIP)
			wantEqual(t, balancer.FrontendVIPs, asked.FrontendVIPs)
			wantEqual(t, balancer.PortMappings, asked.PortMappings)
			wantEqual(t, balancer.Flags, hcn.LoadBalancerFlagsNone)
			wantEqual(t, balancer.SchemaVersion, hcn.V2SchemaVersion())
			if !sameIDs(balancer.HostComputeEndpoints, endpoint.Id) {
				t.Fatalf("got %v", balancer.HostComputeEndpoints)
			}
			check(t, balancer.Delete())
			_, err := hcn.GetLoadBalancerByID(balancer.Id)
			if !hcn.IsNotFoundError(err) {
				t.Fatal(err)
			}
			wantCode(t, balancer.Delete(), hcn.ERROR_NOT_FOUND)
		})
	}
}

func TestALoadBalancerIsFoundByItsId(t *testing.T) {
	balancer := createBalancer(t, balancing(newEndpoint(t, newNetwork(t, hcn.Overlay))))
	for _, id := range []string{balancer.Id, strings.ToLower(balancer.Id), strings.ToUpper(balancer.Id)} {
		wantEqual(t, must(hcn.GetLoadBalancerByID(id))(t), balancer)
	}
}

func TestLoadBalancersAreListed(t *testing.T) {
	wantEqual(t, len(must(hcn.ListLoadBalancers())(t)), 0)
	balancer := createBalancer(t, balancing(newEndpoint(t, newNetwork(t, hcn.Overlay))))
	wantEqual(t, must(hcn.ListLoadBalancers())(t), []hcn.HostComputeLoadBalancer{*balancer})
	for filter, want := range map[string]int{balancer.Id: 1, missing: 0} {
		query := hcn.HostComputeQuery{SchemaVersion: hcn.V2SchemaVersion(), Filter: `{"ID": "` + filter + `"}`}
		wantEqual(t, len(must(hcn.ListLoadBalancersQuery(query))(t)), want)
	}
}

func TestALoadBalancerIsAdded(t *testing.T) {
	for name, row := range map[string]struct {
		flags   hcn.LoadBalancerFlags
		mapping hcn.LoadBalancerPortMappingFlags
	}{
		"none":             {hcn.LoadBalancerFlagsNone, hcn.LoadBalancerPortMappingFlagsNone},
		"internal":         {hcn.LoadBalancerFlagsNone, hcn.LoadBalancerPortMappingFlagsILB},
		"DSR":              {hcn.LoadBalancerFlagsDSR, hcn.LoadBalancerPortMappingFlagsPreserveDIP},
		"from the host":    {hcn.LoadBalancerFlagsDSR, hcn.LoadBalancerPortMappingFlagsLocalRoutedVIP},
		"node port of DSR": {hcn.LoadBalancerFlagsDSR, hcn.LoadBalancerPortMappingFlagsUseMux},
		"internal of DSR": {hcn.LoadBalancerFlagsDSR,
			hcn.LoadBalancerPortMappingFlagsILB | hcn.LoadBalancerPortMappingFlagsPreserveDIP},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint := newEndpoint(t, newNetwork(t, hcn.Overlay))
			backends := []hcn.HostComputeEndpoint{*endpoint}
			made := owned(t, must(hcn.AddLoadBalancer(backends, row.flags, row.mapping, sourceVIP, vips, tcp, 8080, 80))(t))
			found := must(hcn.GetLoadBalancerByID(made.Id))(t)
			wantEqual(t, found, made)
			wantEqual(t, found.Flags, row.flags)
			wantEqual(t, found.SourceVIP, sourceVIP)
			wantEqual(t, found.FrontendVIPs, vips)
			wantEqual(t, found.PortMappings, []hcn.LoadBalancerPortMapping{
				{Protocol: uint32(tcp), InternalPort: 8080, ExternalPort: 80, Flags: row.mapping},
			})
			if !sameIDs(found.HostComputeEndpoints, endpoint.Id) {
				t.Fatalf("got %v", found.HostComputeEndpoints)
			}
		})
	}
}

func TestALoadBalancerOfIPv6IsAdded(t *testing.T) {
	asked := definition(t, hcn.Overlay)
	six := subnet("fd00:100::/64", "fd00:100::1", "::/0")
	six.Policies = asked.Ipams[0].Subnets[0].Policies
	asked.Ipams[0].Subnets = append(asked.Ipams[0].Subnets, six)
	endpoint := createEndpoint(t, createNetwork(t, asked), addressed(t, "fd00:100::30", 64))
	flags, none := hcn.LoadBalancerFlagsDSR|hcn.LoadBalancerFlagsIPv6, hcn.LoadBalancerPortMappingFlagsNone
	front := []string{"fd00:96::10"}
	made := owned(t, must(hcn.AddLoadBalancer(
		[]hcn.HostComputeEndpoint{*endpoint}, flags, none, "fd00:100::fa", front, tcp, 8080, 80))(t))
	wantEqual(t, made.Flags, flags)
	wantEqual(t, made.FrontendVIPs, front)
	wantEqual(t, made.SourceVIP, "fd00:100::fa")
}

func TestADistributionIsKeptSinceHNS12(t *testing.T) {
	for name, distribution := range map[string]hcn.LoadBalancerDistribution{
		"each connection":          hcn.LoadBalancerDistributionNone,
		"client and protocol":      hcn.LoadBalancerDistributionSourceIPProtocol,
		"client (ClientIP in k8s)": hcn.LoadBalancerDistributionSourceIP,
	} {
		t.Run(name, func(t *testing.T) {
			asked := balancing(newEndpoint(t, newNetwork(t, hcn.Overlay)))
			asked.PortMappings[0].DistributionType = distribution
			got := createBalancer(t, asked).PortMappings[0].DistributionType
			if hcn.SessionAffinitySupported() != nil {
				distribution = hcn.LoadBalancerDistributionNone
			}
			wantEqual(t, got, distribution)
		})
	}
}

func TestAnEndpointIsAddedToALoadBalancerAndRemoved(t *testing.T) {
	network := newNetwork(t, hcn.Overlay)
	one, other := newEndpoint(t, network), newEndpoint(t, network)
	balancer := createBalancer(t, balancing(one))
	id := balancer.Id
	added := must(balancer.AddEndpoint(other))(t)
	wantEqual(t, len(added.HostComputeEndpoints), 2)
	wantEqual(t, added.Id, id)
	removed := must(balancer.RemoveEndpoint(other))(t)
	if !sameIDs(removed.HostComputeEndpoints, one.Id) {
		t.Fatalf("got %v, want %s", removed.HostComputeEndpoints, one.Id)
	}
	wantEqual(t, removed.Id, id)
	wantEqual(t, must(hcn.GetLoadBalancerByID(id))(t), removed)
}

func TestALoadBalancerIsUpdatedSinceHNS15(t *testing.T) {
	network := newNetwork(t, hcn.Overlay)
	one, other := newEndpoint(t, network), newEndpoint(t, network)
	balancer := createBalancer(t, balancing(one))

	asked := *balancer
	asked.HostComputeEndpoints = append(asked.HostComputeEndpoints, other.Id)
	updated, err := asked.Update(balancer.Id)
	if hcn.ModifyLoadbalancerSupported() != nil {
		if !hcn.IsNotImplemented(err) {
			t.Fatal(err)
		}
		wantEqual(t, must(hcn.GetLoadBalancerByID(balancer.Id))(t), balancer)
		return
	}
	check(t, err)
	wantEqual(t, len(updated.HostComputeEndpoints), 2)
	wantEqual(t, updated.Id, balancer.Id)

	updated.HostComputeEndpoints = []string{other.Id}
	updated.FrontendVIPs = vips[:1]
	updated = must(updated.Update(balancer.Id))(t)
	if !sameIDs(updated.HostComputeEndpoints, other.Id) {
		t.Fatalf("got %v, want %s", updated.HostComputeEndpoints, other.Id)
	}
	wantEqual(t, updated.FrontendVIPs, vips[:1])
	wantEqual(t, must(hcn.GetLoadBalancerByID(balancer.Id))(t), updated)
}

func TestAFrontEndBelongsToOneLoadBalancer(t *testing.T) {
	endpoint := newEndpoint(t, newNetwork(t, hcn.Overlay))
	balancer := createBalancer(t, balancing(endpoint))
	_, err := balancing(endpoint).Create()
	wantCode(t, err, alreadyExists)
	other := balancing(endpoint)
	other.PortMappings[0].ExternalPort = 8091
	createBalancer(t, other)
	check(t, balancer.Delete())
	createBalancer(t, balancing(endpoint))
}

func TestALoadBalancerThatCannotWorkIsRefused(t *testing.T) {
	endpoint := newEndpoint(t, newNetwork(t, hcn.Overlay))
	for name, row := range map[string]struct {
		change func(*hcn.HostComputeLoadBalancer)
		code   hcn.ErrorCode
	}{
		"no endpoints": {
			func(b *hcn.HostComputeLoadBalancer) { b.HostComputeEndpoints = nil },
			hcn.ErrorCode(windows.HCN_E_INVALID_JSON_REFERENCE),
		},
		"an endpoint that is gone": {
			func(b *hcn.HostComputeLoadBalancer) { b.HostComputeEndpoints = []string{missing} },
			hcn.ErrorCode(windows.HCN_E_PORT_NOT_FOUND),
		},
		"no ports": {
			func(b *hcn.HostComputeLoadBalancer) { b.PortMappings = nil },
			invalidPolicy,
		},
		"a front end that is no address": {
			func(b *hcn.HostComputeLoadBalancer) { b.FrontendVIPs = []string{"front"} },
			hcn.ErrorCode(windows.HCN_E_INVALID_IP),
		},
	} {
		t.Run(name, func(t *testing.T) {
			asked := balancing(endpoint)
			row.change(asked)
			_, err := asked.Create()
			wantCode(t, err, row.code)
		})
	}
}
