package hnslib_test

import (
	"slices"
	"testing"

	"github.com/Microsoft/hnslib/hcn"
	"golang.org/x/sys/windows"
)

func newRoute(t *testing.T, endpoints ...*hcn.HostComputeEndpoint) *hcn.HostComputeRoute {
	t.Helper()
	route, err := hcn.AddRoute(values(endpoints), "169.254.169.0/24", "127.10.0.33", true)
	check(t, err)
	t.Cleanup(func() { check(t, route.Delete()) })
	return route
}

func wantRouted(t *testing.T, route *hcn.HostComputeRoute, endpoints ...*hcn.HostComputeEndpoint) {
	t.Helper()
	found, err := hcn.GetRouteByID(route.ID)
	check(t, err)
	var ids []string
	for _, endpoint := range endpoints {
		ids = append(ids, endpoint.Id)
	}
	wantIDs(t, "endpoints returned", route.HostComputeEndpoints, ids...)
	wantIDs(t, "endpoints found", found.HostComputeEndpoints, ids...)
}

func TestARouteIsCreatedAsAsked(t *testing.T) {
	endpoint := newEndpoint(t, overlayNetwork(t), "routed")
	want := []hcn.SDNRoutePolicySetting{{DestinationPrefix: "169.254.169.0/24", NextHop: "127.10.0.33", NeedEncap: true}}
	created, err := (&hcn.HostComputeRoute{
		HostComputeEndpoints: []string{endpoint.Id}, Setting: want, SchemaVersion: hcn.V2SchemaVersion(),
	}).Create()
	check(t, err)
	t.Cleanup(func() { check(t, created.Delete()) })
	for name, route := range map[string]*hcn.HostComputeRoute{"created": created, "added": newRoute(t, endpoint)} {
		t.Run(name, func(t *testing.T) {
			wantRouted(t, route, endpoint)
			found, err := hcn.GetRouteByID(route.ID)
			check(t, err)
			if !slices.Equal(found.Setting, want) {
				t.Errorf("got %v, want %v", found.Setting, want)
			}
		})
	}
}

func TestRoutesAreListed(t *testing.T) {
	route := newRoute(t, newEndpoint(t, overlayNetwork(t), "listed"))
	all := func() ([]hcn.HostComputeRoute, error) {
		return hcn.ListRoutesQuery(hcn.HostComputeQuery{SchemaVersion: hcn.V2SchemaVersion()})
	}
	for name, list := range map[string]func() ([]hcn.HostComputeRoute, error){"all": hcn.ListRoutes, "of a query": all} {
		t.Run(name, func(t *testing.T) {
			routes, err := list()
			check(t, err)
			wantEqual(t, "routes", len(routes), 1)
			wantEqual(t, "id", routes[0].ID, route.ID)
		})
	}
}

func TestRoutedEndpointsComeAndGo(t *testing.T) {
	network := overlayNetwork(t)
	first, second := newEndpoint(t, network, "first"), newEndpoint(t, network, "second")
	route := newRoute(t, first)
	both, err := route.AddEndpoint(second)
	check(t, err)
	wantRouted(t, both, first, second)
	wantEqual(t, "id", both.ID, route.ID)
	one, err := route.RemoveEndpoint(second)
	check(t, err)
	wantRouted(t, one, first)
	wantEqual(t, "id", one.ID, route.ID)
}

func TestADeletedRouteIsGone(t *testing.T) {
	route := newRoute(t, newEndpoint(t, overlayNetwork(t), "deleted"))
	check(t, route.Delete())
	_, err := hcn.GetRouteByID(route.ID)
	wantEqual(t, "not found", hcn.IsNotFoundError(err), true)
	check(t, route.Delete()) // hnslib looks first, and deletes nothing that isn't there
}

func TestARouteIsRefused(t *testing.T) {
	_, err := hcn.AddRoute(nil, "169.254.169.0/24", "127.10.0.33", false)
	wantText(t, err, "missing endpoints")
	_, err = hcn.AddRoute([]hcn.HostComputeEndpoint{{Id: missing}}, "169.254.169.0/24", "127.10.0.33", false)
	wantEqual(t, "endpoint's port not found", hcn.IsPortNotFoundError(err), true)
	endpoint := newEndpoint(t, overlayNetwork(t), "routed")
	_, err = (&hcn.HostComputeRoute{HostComputeEndpoints: []string{endpoint.Id}, SchemaVersion: hcn.V2SchemaVersion()}).Create()
	wantCode(t, err, windows.HCN_E_INVALID_POLICY)
}
