package hnslib_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/Microsoft/hnslib/hcn"
)

func TestWhatIsNotFoundSaysSo(t *testing.T) {
	find := func(_ any, err error) error { return err }
	for _, missed := range []struct{ got, want error }{
		{find(hcn.GetNetworkByName("nobody")), hcn.NetworkNotFoundError{NetworkName: "nobody"}},
		{find(hcn.GetNetworkByID(missing)), hcn.NetworkNotFoundError{NetworkID: missing}},
		{find(hcn.GetEndpointByName("nobody")), hcn.EndpointNotFoundError{EndpointName: "nobody"}},
		{find(hcn.GetEndpointByID(missing)), hcn.EndpointNotFoundError{EndpointID: missing}},
		{find(hcn.GetNamespaceByID(missing)), hcn.NamespaceNotFoundError{NamespaceID: missing}},
		{find(hcn.GetLoadBalancerByID(missing)), hcn.LoadBalancerNotFoundError{LoadBalancerId: missing}},
		{find(hcn.GetRouteByID(missing)), hcn.RouteNotFoundError{RouteId: missing}},
		{find(hcn.GetNamespaceEndpointIds(missing)), hcn.NamespaceNotFoundError{NamespaceID: missing}},
		{find(hcn.GetNamespaceContainerIds(missing)), hcn.NamespaceNotFoundError{NamespaceID: missing}},
	} {
		wantEqual(t, "error", missed.got, missed.want)
		wantEqual(t, fmt.Sprintf("%v not found", missed.got), hcn.IsNotFoundError(missed.got), true)
		wantEqual(t, "wrapped", hcn.IsNotFoundError(fmt.Errorf("wrapped: %w", missed.got)), true)
	}
}

func TestWhatIsNotFoundIsNamed(t *testing.T) {
	for _, named := range []struct {
		err  error
		text string
	}{
		{hcn.NetworkNotFoundError{NetworkName: "n"}, `Network name "n" not found`},
		{hcn.NetworkNotFoundError{NetworkID: "i"}, `Network ID "i" not found`},
		{hcn.EndpointNotFoundError{EndpointName: "n"}, `Endpoint name "n" not found`},
		{hcn.EndpointNotFoundError{EndpointID: "i"}, `Endpoint ID "i" not found`},
		{hcn.NamespaceNotFoundError{NamespaceID: "i"}, `Namespace ID "i" not found`},
		{hcn.LoadBalancerNotFoundError{LoadBalancerId: "i"}, `LoadBalancer "i" not found`},
		{hcn.RouteNotFoundError{RouteId: "i"}, `SDN Route "i" not found`},
	} {
		wantEqual(t, "text", named.err.Error(), named.text)
	}
}

var kinds = map[string]func(error) bool{
	"element":         hcn.IsElementNotFoundError,
	"port taken":      hcn.IsPortAlreadyExistsError,
	"not implemented": hcn.IsNotImplemented,
	"network":         hcn.IsNetworkNotFoundError,
	"endpoint":        hcn.IsEndpointNotFoundError,
	"port":            hcn.IsPortNotFoundError,
	"address":         hcn.IsInvalidIPError,
	"adapter":         hcn.IsAdapterNotFoundError,
}

// Each is what HNS itself refuses a call with.
func TestEachErrorIsOfItsKindAlone(t *testing.T) {
	port := hcn.EndpointPolicy{
		Type:     hcn.PortMapping,
		Settings: document(t, hcn.PortMappingPolicySetting{Protocol: 17, InternalPort: 53, ExternalPort: 19053}),
	}
	for kind, provoke := range map[string]func(*testing.T) error{
		"element":  func(*testing.T) error { return (&hcn.HostComputeNamespace{Id: missing}).Delete() },
		"network":  func(*testing.T) error { return (&hcn.HostComputeNetwork{Id: missing}).Delete() },
		"endpoint": func(*testing.T) error { return (&hcn.HostComputeEndpoint{Id: missing}).Delete() },
		"port": func(*testing.T) error {
			_, err := hcn.AddLoadBalancer([]hcn.HostComputeEndpoint{{Id: missing}}, 0, 0, "", []string{"10.96.0.1"}, 6, 80, 80)
			return err
		},
		"port taken": func(t *testing.T) error {
			network := natNetwork(t)
			newEndpoint(t, network, "first", port)
			_, err := network.CreateEndpoint(&hcn.HostComputeEndpoint{
				Name: "second", Policies: []hcn.EndpointPolicy{port}, SchemaVersion: hcn.V2SchemaVersion(),
			})
			return err
		},
		"address": func(t *testing.T) error {
			_, err := natNetwork(t).CreateEndpoint(&hcn.HostComputeEndpoint{
				IpConfigurations: []hcn.IpConfig{{IpAddress: "192.168.80.300"}}, SchemaVersion: hcn.V2SchemaVersion(),
			})
			return err
		},
		"adapter": func(t *testing.T) error {
			_, err := (&hcn.HostComputeNetwork{
				Name:  "lib-bad",
				Type:  hcn.L2Bridge,
				Ipams: subnet("192.168.83.0/24", "192.168.83.1"),
				Policies: []hcn.NetworkPolicy{{
					Type:     hcn.NetAdapterName,
					Settings: document(t, hcn.NetAdapterNameNetworkPolicySetting{NetworkAdapterName: "Token Ring"}),
				}},
				SchemaVersion: hcn.V2SchemaVersion(),
			}).Create()
			return err
		},
	} {
		t.Run(kind, func(t *testing.T) {
			err := provoke(t)
			for other, is := range kinds {
				wantEqual(t, fmt.Sprintf("%v is of kind %s", err, other), is(err), other == kind)
				wantEqual(t, "wrapped", is(fmt.Errorf("wrapped: %w", err)), other == kind)
			}
			var refusal *hcn.HcnError
			if !errors.As(err, &refusal) || refusal.Error() != err.Error() {
				t.Errorf("%v is no error of HNS", err)
			}
		})
	}
}

func TestEachKindHasACode(t *testing.T) {
	err := (&hcn.HostComputeNamespace{Id: missing}).Delete()
	for code, want := range map[hcn.ErrorCode]bool{
		hcn.ERROR_NOT_FOUND:           true,
		hcn.HCN_E_PORT_ALREADY_EXISTS: false,
		hcn.HCN_E_NOTIMPL:             false,
		hcn.HCN_E_NETWORK_NOT_FOUND:   false,
		hcn.HCN_E_ENDPOINT_NOT_FOUND:  false,
		hcn.HCN_E_PORT_NOT_FOUND:      false,
		hcn.HCN_E_INVALID_IP:          false,
		hcn.HCN_E_ADAPTER_NOT_FOUND:   false,
	} {
		wantEqual(t, fmt.Sprintf("%#x", uint32(code)), hcn.CheckErrorWithCode(err, code), want)
	}
	wantEqual(t, "error of another's", hcn.CheckErrorWithCode(errors.New("another's"), hcn.ERROR_NOT_FOUND), false)
}

// hnslib's own check; HNS is not asked.
func TestAnIdThatIsNoneIsNotSent(t *testing.T) {
	for text, err := range map[string]error{
		"invalid network ID":       (&hcn.HostComputeNetwork{Id: "none"}).Delete(),
		"invalid endpoint ID":      (&hcn.HostComputeEndpoint{Id: "none"}).Delete(),
		"invalid namespace ID":     (&hcn.HostComputeNamespace{Id: "none"}).Delete(),
		"invalid load balancer ID": (&hcn.HostComputeLoadBalancer{Id: "none"}).Delete(),
	} {
		wantText(t, err, text)
	}
}
