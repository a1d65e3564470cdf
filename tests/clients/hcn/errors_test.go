package hcn_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/Microsoft/hcsshim"
	"github.com/Microsoft/hcsshim/hcn"
	"golang.org/x/sys/windows"
)

func TestAMissingObjectIsAnErrorOfItsKind(t *testing.T) {
	for name, row := range map[string]struct {
		get  func() error
		want error
		text string
	}{
		"network by name": {
			func() error { _, err := hcn.GetNetworkByName("no such"); return err },
			hcn.NetworkNotFoundError{NetworkName: "no such"}, `Network name "no such" not found`,
		},
		"network by id": {
			func() error { _, err := hcn.GetNetworkByID(missing); return err },
			hcn.NetworkNotFoundError{NetworkID: missing}, `Network ID "` + missing + `" not found`,
		},
		"endpoint by name": {
			func() error { _, err := hcn.GetEndpointByName("no such"); return err },
			hcn.EndpointNotFoundError{EndpointName: "no such"}, `Endpoint name "no such" not found`,
		},
		"endpoint by id": {
			func() error { _, err := hcn.GetEndpointByID(missing); return err },
			hcn.EndpointNotFoundError{EndpointID: missing}, `Endpoint ID "` + missing + `" not found`,
		},
		"namespace": {
			func() error { _, err := hcn.GetNamespaceByID(missing); return err },
			hcn.NamespaceNotFoundError{NamespaceID: missing}, `Namespace ID "` + missing + `" not found`,
		},
		"namespace of endpoints": {
			func() error { _, err := hcn.GetNamespaceEndpointIds(missing); return err },
			hcn.NamespaceNotFoundError{NamespaceID: missing}, `Namespace ID "` + missing + `" not found`,
		},
		"namespace of containers": {
			func() error { _, err := hcn.GetNamespaceContainerIds(missing); return err },
			hcn.NamespaceNotFoundError{NamespaceID: missing}, `Namespace ID "` + missing + `" not found`,
		},
		"load balancer": {
			func() error { _, err := hcn.GetLoadBalancerByID(missing); return err },
			hcn.LoadBalancerNotFoundError{LoadBalancerId: missing}, `LoadBalancer "` + missing + `" not found`,
		},
		"route": {
			func() error { _, err := hcn.GetRouteByID(missing); return err },
			hcn.RouteNotFoundError{RouteId: missing}, `SDN Route "` + missing + `" not found`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := row.get()
			wantEqual(t, err, row.want)
			wantEqual(t, err.Error(), row.text)
			if !hcn.IsNotFoundError(err) || !hcn.IsNotFoundError(fmt.Errorf("wrapped: %w", err)) {
				t.Fatalf("%v is not taken for a missing object", err)
			}
			if hcn.IsElementNotFoundError(err) {
				t.Fatal("HNS itself has not said so")
			}
		})
	}
}

func TestACallOnAMissingObjectHasTheCodeOfItsKind(t *testing.T) {
	for name, row := range map[string]struct {
		call func() error
		code hcn.ErrorCode
	}{
		"network": {(&hcn.HostComputeNetwork{Id: missing}).Delete, networkNotFound},
		"network of an endpoint": {
			func() error { _, err := (&hcn.HostComputeEndpoint{HostComputeNetwork: missing}).Create(); return err },
			networkNotFound,
		},
		"endpoint": {(&hcn.HostComputeEndpoint{Id: missing}).Delete, endpointNotFound},
		"endpoint to modify": {
			func() error { return hcn.ModifyEndpointSettings(missing, &hcn.ModifyEndpointSettingRequest{}) }, endpointNotFound,
		},
		"namespace": {(&hcn.HostComputeNamespace{Id: missing}).Delete, hcn.ERROR_NOT_FOUND},
		"namespace to modify": {
			func() error { return hcn.ModifyNamespaceSettings(missing, &hcn.ModifyNamespaceSettingRequest{}) },
			hcn.ERROR_NOT_FOUND,
		},
		"namespace to leave": {func() error { return hcn.RemoveNamespaceEndpoint(missing, missing) }, hcn.ERROR_NOT_FOUND},
		"load balancer":      {(&hcn.HostComputeLoadBalancer{Id: missing}).Delete, hcn.ERROR_NOT_FOUND},
		"load balancer to update": {
			func() error { _, err := (&hcn.HostComputeLoadBalancer{}).Update(missing); return err }, hcn.ERROR_NOT_FOUND,
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := row.call()
			wantCode(t, err, row.code)
			wantCode(t, fmt.Errorf("wrapped: %w", err), row.code)
			wantEqual(t, hcn.IsElementNotFoundError(err), row.code == hcn.ERROR_NOT_FOUND)
			wantEqual(t, hcn.IsPortAlreadyExistsError(err), false)
			wantEqual(t, hcn.IsNotImplemented(err), false)
		})
	}
}

func TestAnErrorOfHNSTellsTheFunctionAndTheRecord(t *testing.T) {
	err := (&hcn.HostComputeNetwork{Id: missing}).Delete()
	var refusal *hcn.HcnError
	if !errors.As(err, &refusal) {
		t.Fatalf("got %T", err)
	}
	text := refusal.Error()
	for _, part := range []string{"hcnDeleteNetwork", "0x803b0001", "The network was not found."} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in %q", part, text)
		}
	}
}

func TestAnIdThatIsNoneIsRefusedByTheLibrary(t *testing.T) {
	const none = "no id"
	for name, row := range map[string]struct {
		call func() error
		text string
	}{
		"network":   {(&hcn.HostComputeNetwork{Id: none}).Delete, "invalid network ID"},
		"endpoint":  {(&hcn.HostComputeEndpoint{Id: none}).Delete, "invalid endpoint ID"},
		"namespace": {(&hcn.HostComputeNamespace{Id: none}).Delete, "invalid namespace ID"},
		"load balancer": {
			(&hcn.HostComputeLoadBalancer{Id: none}).Delete, "invalid load balancer ID",
		},
		"network to modify": {
			func() error { return (&hcn.HostComputeNetwork{Id: none}).AddPolicy(hcn.PolicyNetworkRequest{}) },
			"invalid network ID",
		},
		"endpoint to modify": {
			func() error { return hcn.ModifyEndpointSettings(none, &hcn.ModifyEndpointSettingRequest{}) },
			"invalid endpoint ID",
		},
		"namespace to modify": {func() error { return hcn.AddNamespaceEndpoint(none, missing) }, "invalid namespace ID"},
	} {
		t.Run(name, func(t *testing.T) { wantText(t, row.call(), row.text) })
	}
}

func TestAPortIsMappedOnce(t *testing.T) {
	for _, kind := range []hcn.NetworkType{hcn.NAT, hcn.Overlay} {
		t.Run(string(kind), func(t *testing.T) {
			network := newNetwork(t, kind)
			mapping := endpointPolicy(t, hcn.PortMapping, hcn.PortMappingPolicySetting{
				Protocol: uint32(hcn.ProtocolTypeUDP), InternalPort: 45678, ExternalPort: 56789,
			})
			asked := hcn.HostComputeEndpoint{Name: t.Name(), Policies: []hcn.EndpointPolicy{mapping}}
			first := createEndpoint(t, network, asked)
			asked.SchemaVersion = hcn.V2SchemaVersion()
			_, err := network.CreateEndpoint(&asked)
			wantCode(t, err, hcn.HCN_E_PORT_ALREADY_EXISTS)
			if !hcn.IsPortAlreadyExistsError(err) || hcn.IsNotFoundError(err) {
				t.Fatal(err)
			}
			check(t, first.Delete())
			createEndpoint(t, network, asked)
		})
	}
}

func TestWhatAReleaseLacksIsNotImplemented(t *testing.T) {
	balancer := createBalancer(t, balancing(newEndpoint(t, newNetwork(t, hcn.Overlay))))
	_, err := balancer.Update(balancer.Id)
	if since(t, 15, 4) {
		check(t, err)
	} else {
		wantCode(t, err, hcn.HCN_E_NOTIMPL)
	}
	wantEqual(t, hcn.IsNotImplemented(err), err != nil)
}

func TestV1sErrorsAreNotFoundByTheirCode(t *testing.T) {
	const noCompartment = 77
	network := createV1Network(t, hcsshim.HNSNetwork{Type: "NAT"})
	endpoint := createV1Endpoint(t, network, hcsshim.HNSEndpoint{})
	err := endpoint.HostAttach(noCompartment)
	if !hcn.IsNotFoundError(err) {
		t.Fatal(err)
	}
	// The code alone, without the library's error around it, is not looked at.
	wantEqual(t, hcn.IsNotFoundError(windows.ERROR_NOT_FOUND), false)
}

func TestOtherErrorsAreNone(t *testing.T) {
	for name, err := range map[string]error{
		"nil": nil, "any": errors.New("any"), "success": windows.ERROR_SUCCESS, "invalid data": windows.ERROR_INVALID_DATA,
	} {
		t.Run(name, func(t *testing.T) {
			for _, is := range []func(error) bool{
				hcn.IsNotFoundError, hcn.IsElementNotFoundError, hcn.IsPortAlreadyExistsError, hcn.IsNotImplemented,
			} {
				wantEqual(t, is(err), false)
			}
			wantEqual(t, hcn.CheckErrorWithCode(err, hcn.ERROR_NOT_FOUND), false)
		})
	}
}

func TestEveryErrorForAMissingObjectIsOne(t *testing.T) {
	for _, err := range []error{
		hcn.NetworkNotFoundError{}, hcn.EndpointNotFoundError{}, hcn.NamespaceNotFoundError{},
		hcn.LoadBalancerNotFoundError{}, hcn.RouteNotFoundError{},
	} {
		if !hcn.IsNotFoundError(err) {
			t.Errorf("%T is not", err)
		}
	}
}
