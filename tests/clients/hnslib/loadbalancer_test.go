package hnslib_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/Microsoft/hnslib/hcn"
	"golang.org/x/sys/windows"
)

func kept(t *testing.T, balancer *hcn.HostComputeLoadBalancer, err error) *hcn.HostComputeLoadBalancer {
	t.Helper()
	check(t, err)
	t.Cleanup(func() { gone(t, balancer.Delete()) })
	return balancer
}

func values(endpoints []*hcn.HostComputeEndpoint) []hcn.HostComputeEndpoint {
	var all []hcn.HostComputeEndpoint
	for _, endpoint := range endpoints {
		all = append(all, *endpoint)
	}
	return all
}

func newBalancer(t *testing.T, endpoints ...*hcn.HostComputeEndpoint) *hcn.HostComputeLoadBalancer {
	t.Helper()
	made, err := hcn.AddLoadBalancer(values(endpoints), hcn.LoadBalancerFlagsNone, hcn.LoadBalancerPortMappingFlagsNone,
		"192.168.82.5", []string{"10.96.0.20"}, 6, 8080, 80)
	return kept(t, made, err)
}

// wantBackends asks both for what a call returned and for what HNS has.
func wantBackends(t *testing.T, balancer *hcn.HostComputeLoadBalancer, endpoints ...*hcn.HostComputeEndpoint) {
	t.Helper()
	found, err := hcn.GetLoadBalancerByID(balancer.Id)
	check(t, err)
	var ids []string
	for _, endpoint := range endpoints {
		ids = append(ids, endpoint.Id)
	}
	wantIDs(t, "backends returned", balancer.HostComputeEndpoints, ids...)
	wantIDs(t, "backends found", found.HostComputeEndpoints, ids...)
}

func TestALoadBalancerIsCreatedAsAsked(t *testing.T) {
	for name, want := range map[string]struct {
		flags   hcn.LoadBalancerFlags
		mapping hcn.LoadBalancerPortMappingFlags
		source  string
		vips    []string
	}{
		"plain":         {hcn.LoadBalancerFlagsNone, hcn.LoadBalancerPortMappingFlagsNone, "192.168.82.5", []string{"10.96.0.21"}},
		"several VIPs":  {hcn.LoadBalancerFlagsNone, hcn.LoadBalancerPortMappingFlagsNone, "192.168.82.5", []string{"10.96.0.21", "10.96.0.22"}},
		"no VIP":        {hcn.LoadBalancerFlagsNone, hcn.LoadBalancerPortMappingFlagsNone, "192.168.82.5", nil},
		"internal":      {hcn.LoadBalancerFlagsNone, hcn.LoadBalancerPortMappingFlagsILB, "192.168.82.5", []string{"10.96.0.21"}},
		"direct return": {hcn.LoadBalancerFlagsDSR, hcn.LoadBalancerPortMappingFlagsPreserveDIP, "", []string{"10.96.0.21"}},
		"local":         {hcn.LoadBalancerFlagsDSR, hcn.LoadBalancerPortMappingFlagsLocalRoutedVIP, "", []string{"10.96.0.21"}},
		"multiplexed":   {hcn.LoadBalancerFlagsDSR, hcn.LoadBalancerPortMappingFlagsUseMux, "", []string{"10.96.0.21"}},
		"IPv6":          {hcn.LoadBalancerFlagsIPv6, hcn.LoadBalancerPortMappingFlagsNone, "", []string{"fd96::21"}},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint := newEndpoint(t, overlayNetwork(t), "backend")
			made, err := hcn.AddLoadBalancer([]hcn.HostComputeEndpoint{*endpoint}, want.flags, want.mapping, want.source, want.vips, 6, 8080, 80)
			balancer := kept(t, made, err)
			wantBackends(t, balancer, endpoint)
			found, err := hcn.GetLoadBalancerByID(balancer.Id)
			check(t, err)
			wantEqual(t, "flags", found.Flags, want.flags)
			wantEqual(t, "source", found.SourceVIP, want.source)
			if !slices.Equal(found.FrontendVIPs, want.vips) && len(found.FrontendVIPs)+len(want.vips) > 0 {
				t.Errorf("got VIPs %v, want %v", found.FrontendVIPs, want.vips)
			}
			mapping := hcn.LoadBalancerPortMapping{Protocol: 6, InternalPort: 8080, ExternalPort: 80, Flags: want.mapping}
			if !slices.Equal(found.PortMappings, []hcn.LoadBalancerPortMapping{mapping}) {
				t.Errorf("got ports %v, want %v", found.PortMappings, mapping)
			}
		})
	}
}

// HNS 9 does not know of affinity, and so drops it.
func TestClientsStayWithTheirBackends(t *testing.T) {
	endpoint := newEndpoint(t, overlayNetwork(t), "affine")
	for _, affinity := range []hcn.LoadBalancerDistribution{
		hcn.LoadBalancerDistributionNone, hcn.LoadBalancerDistributionSourceIPProtocol, hcn.LoadBalancerDistributionSourceIP,
	} {
		made, err := (&hcn.HostComputeLoadBalancer{
			HostComputeEndpoints: []string{endpoint.Id},
			FrontendVIPs:         []string{"10.96.0.23"},
			PortMappings:         []hcn.LoadBalancerPortMapping{{Protocol: 17, InternalPort: 53, ExternalPort: 53, DistributionType: affinity}},
			SchemaVersion:        hcn.V2SchemaVersion(),
		}).Create()
		balancer := kept(t, made, err)
		want := affinity
		if hcn.SessionAffinitySupported() != nil {
			want = hcn.LoadBalancerDistributionNone
		}
		wantEqual(t, "affinity", balancer.PortMappings[0].DistributionType, want)
		check(t, balancer.Delete())
	}
}

func TestLoadBalancersAreListed(t *testing.T) {
	balancer := newBalancer(t, newEndpoint(t, overlayNetwork(t), "listed"))
	all := func() ([]hcn.HostComputeLoadBalancer, error) {
		return hcn.ListLoadBalancersQuery(hcn.HostComputeQuery{SchemaVersion: hcn.V2SchemaVersion()})
	}
	for name, list := range map[string]func() ([]hcn.HostComputeLoadBalancer, error){"all": hcn.ListLoadBalancers, "of a query": all} {
		t.Run(name, func(t *testing.T) {
			balancers, err := list()
			check(t, err)
			wantEqual(t, "balancers", len(balancers), 1)
			wantEqual(t, "id", balancers[0].Id, balancer.Id)
		})
	}
}

func TestALoadBalancerIsFoundByItsIdInAnyCase(t *testing.T) {
	balancer := newBalancer(t, newEndpoint(t, overlayNetwork(t), "found"))
	for _, id := range []string{strings.ToUpper(balancer.Id), strings.ToLower(balancer.Id)} {
		found, err := hcn.GetLoadBalancerByID(id)
		check(t, err)
		wantEqual(t, "id", found.Id, balancer.Id)
	}
}

func TestBackendsComeAndGo(t *testing.T) {
	network := overlayNetwork(t)
	first, second := newEndpoint(t, network, "first"), newEndpoint(t, network, "second")
	balancer := newBalancer(t, first)
	both, err := balancer.AddEndpoint(second)
	check(t, err)
	wantBackends(t, both, first, second)
	wantEqual(t, "id", both.Id, balancer.Id)
	one, err := balancer.RemoveEndpoint(second)
	check(t, err)
	wantBackends(t, one, first)
	wantEqual(t, "id", one.Id, balancer.Id)
}

// HNS has it since 15.4, by hcsshim's list of features and by its own test; by hnslib's since 15.5.
func TestALoadBalancerIsUpdatedInPlace(t *testing.T) {
	network := overlayNetwork(t)
	first, second := newEndpoint(t, network, "first"), newEndpoint(t, network, "second")
	balancer := newBalancer(t, first)
	wanted := *balancer
	wanted.HostComputeEndpoints = []string{first.Id, second.Id}
	both, err := wanted.Update(balancer.Id)
	if !since(15, 4) {
		wantEqual(t, "not implemented", hcn.IsNotImplemented(err), true)
		found, err := hcn.GetLoadBalancerByID(balancer.Id)
		check(t, err)
		wantBackends(t, found, first)
		return
	}
	check(t, err)
	wantBackends(t, both, first, second)
	wantEqual(t, "id", both.Id, balancer.Id)
	// An update takes the id as HNS writes it to find the backend that goes.
	both.HostComputeEndpoints = slices.DeleteFunc(both.HostComputeEndpoints, func(id string) bool { return id == second.Id })
	one, err := both.Update(balancer.Id)
	check(t, err)
	wantBackends(t, one, first)
}

func TestALoadBalancerThatIsNotThereIsNotUpdated(t *testing.T) {
	_, err := (&hcn.HostComputeLoadBalancer{SchemaVersion: hcn.V2SchemaVersion()}).Update(missing)
	wantEqual(t, "not found", hcn.IsElementNotFoundError(err), true)
}

func TestADeletedLoadBalancerIsGone(t *testing.T) {
	balancer := newBalancer(t, newEndpoint(t, overlayNetwork(t), "deleted"))
	check(t, balancer.Delete())
	_, err := hcn.GetLoadBalancerByID(balancer.Id)
	wantEqual(t, "not found", hcn.IsNotFoundError(err), true)
	wantEqual(t, "not found again", hcn.IsElementNotFoundError(balancer.Delete()), true)
}

func TestALoadBalancerIsRefused(t *testing.T) {
	network := overlayNetwork(t)
	endpoint := newEndpoint(t, network, "backend", hcn.EndpointPolicy{
		Type: hcn.PortMapping, Settings: document(t, hcn.PortMappingPolicySetting{Protocol: 6, InternalPort: 80, ExternalPort: 30080}),
	})
	newBalancer(t, endpoint)
	for name, refused := range map[string]struct {
		backends []hcn.HostComputeEndpoint
		vips     []string
		port     uint16
		code     hcn.ErrorCode
	}{
		"with a front end that is taken": {[]hcn.HostComputeEndpoint{*endpoint}, []string{"10.96.0.20"}, 80, hcn.ErrorCode(windows.ERROR_ALREADY_EXISTS)},
		"with a node port that is taken": {[]hcn.HostComputeEndpoint{*endpoint}, nil, 30080, hcn.HCN_E_PORT_ALREADY_EXISTS},
		"with a backend that is gone":    {[]hcn.HostComputeEndpoint{*endpoint, {Id: missing}}, []string{"10.96.0.24"}, 80, hcn.HCN_E_PORT_NOT_FOUND},
		"without backends":               {nil, []string{"10.96.0.24"}, 80, hcn.ErrorCode(windows.HCN_E_INVALID_JSON_REFERENCE)},
		"with a VIP that is none":        {[]hcn.HostComputeEndpoint{*endpoint}, []string{"service"}, 80, hcn.HCN_E_INVALID_IP},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := hcn.AddLoadBalancer(refused.backends, 0, 0, "", refused.vips, 6, 8080, refused.port)
			wantCode(t, err, refused.code)
		})
	}
}
