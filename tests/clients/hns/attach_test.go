package hns_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/Microsoft/hcsshim"
	"golang.org/x/sys/windows"
)

func wantState(t *testing.T, endpoint *hcsshim.HNSEndpoint, state string, containers ...string) {
	t.Helper()
	found, err := hcsshim.GetHNSEndpointByID(endpoint.Id)
	check(t, err)
	wantEqual(t, "state", found.State.String(), state)
	if !slices.Equal(found.SharedContainers, containers) {
		t.Errorf("got containers %v, want %v", found.SharedContainers, containers)
	}
}

func wantAttached(t *testing.T, endpoint *hcsshim.HNSEndpoint, container string, want bool) {
	t.Helper()
	attached, err := endpoint.IsAttached(container)
	check(t, err)
	wantEqual(t, "attached to "+container, attached, want)
}

func TestAnEndpointIsAttachedToTheHost(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "host")
	check(t, endpoint.HostAttach(1))
	wantState(t, endpoint, "Attached")
	check(t, endpoint.HostDetach())
	wantState(t, endpoint, "Detached")
}

func TestADetachedEndpointIsAttachedAgain(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "again")
	for range 2 {
		check(t, endpoint.HostAttach(1))
		wantState(t, endpoint, "Attached")
		check(t, endpoint.HostDetach())
	}
}

func TestAnAttachedEndpointIsNotAttachedToTheHostAgain(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "twice")
	check(t, endpoint.HostAttach(1))
	wantCode(t, endpoint.HostAttach(1), windows.Errno(windows.HCN_E_ENDPOINT_ALREADY_ATTACHED))
}

func TestAnEndpointIsNotAttachedToACompartmentThatIsNotThere(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "nowhere")
	wantCode(t, endpoint.HostAttach(4000), windows.ERROR_NOT_FOUND)
	wantState(t, endpoint, "Created")
}

func TestAnEndpointIsAttachedToAContainer(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "container")
	newContainer(t, "v1-container", hcsshim.ContainerConfig{})
	wantAttached(t, endpoint, "v1-container", false)
	check(t, endpoint.ContainerAttach("v1-container", 0))
	wantAttached(t, endpoint, "V1-Container", true)
	wantState(t, endpoint, "Attached", "v1-container")
	check(t, endpoint.ContainerDetach("v1-container"))
	wantAttached(t, endpoint, "v1-container", false)
	wantState(t, endpoint, "Detached")
}

func TestASecondContainerSharesAnEndpoint(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "shared")
	newContainer(t, "v1-first", hcsshim.ContainerConfig{})
	newContainer(t, "v1-second", hcsshim.ContainerConfig{NetworkSharedContainerName: "v1-first"})
	check(t, endpoint.ContainerAttach("v1-first", 0))
	check(t, endpoint.ContainerAttach("v1-second", 0))
	wantState(t, endpoint, "AttachedSharing", "v1-first", "v1-second")
	check(t, endpoint.ContainerDetach("v1-second"))
	wantAttached(t, endpoint, "v1-first", true)
	wantAttached(t, endpoint, "v1-second", false)
}

func TestAContainerIsMadeWithItsEndpoints(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "made")
	newContainer(t, "v1-made", hcsshim.ContainerConfig{EndpointList: []string{endpoint.Id}})
	wantAttached(t, endpoint, "v1-made", true)
}

func TestAContainerThatEndsLeavesItsEndpoint(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "ends")
	container, err := hcsshim.CreateContainer("v1-ends", &hcsshim.ContainerConfig{EndpointList: []string{endpoint.Id}})
	check(t, err)
	if err := container.Terminate(); !hcsshim.IsPending(err) {
		t.Fatal(err)
	}
	check(t, container.Wait())
	check(t, container.Close())
	wantState(t, endpoint, "Detached")
}

func TestAnEndpointIsAttachedToARunningContainer(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "hot")
	container := newContainer(t, "v1-hot", hcsshim.ContainerConfig{})
	check(t, container.Start())
	for range 2 { // the second time hcsshim finds it attached, or detached, and asks for nothing
		check(t, hcsshim.HotAttachEndpoint("v1-hot", endpoint.Id))
		wantAttached(t, endpoint, "v1-hot", true)
	}
	for range 2 {
		check(t, hcsshim.HotDetachEndpoint("v1-hot", endpoint.Id))
		wantAttached(t, endpoint, "v1-hot", false)
	}
}

func TestAnEndpointIsAttachedByModifyingAContainer(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "modified")
	container := newContainer(t, "v1-modified", hcsshim.ContainerConfig{})
	for _, request := range []hcsshim.RequestType{hcsshim.Add, hcsshim.Remove} {
		check(t, container.Modify(&hcsshim.ResourceModificationRequestResponse{
			Resource: hcsshim.Network, Request: request, Data: endpoint.Id,
		}))
		wantAttached(t, endpoint, "v1-modified", request == hcsshim.Add)
	}
}

func TestAnEndpointIsNotAttachedToAContainerThatIsNotThere(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "lonely")
	notFound := hcsshim.ErrComputeSystemDoesNotExist
	if err := hcsshim.HotAttachEndpoint("v1-nobody", endpoint.Id); !errors.Is(err, notFound) {
		t.Errorf("got error %v, want %v", err, notFound)
	}
	if err := hcsshim.HotDetachEndpoint("v1-nobody", endpoint.Id); err != nil {
		t.Errorf("hcsshim asks a container for nothing where the endpoint isn't attached, but: %v", err)
	}
	wantCode(t, endpoint.ContainerAttach("v1-nobody", 0), windows.ERROR_VMCOMPUTE_SYSTEM_NOT_FOUND)
	wantState(t, endpoint, "Created")
}

func TestAnEndpointThatIsNotThereIsNotAttached(t *testing.T) {
	newContainer(t, "v1-empty", hcsshim.ContainerConfig{})
	endpoint := hcsshim.HNSEndpoint{Id: missing}
	_, err := endpoint.IsAttached("v1-empty")
	wantText(t, err, "The endpoint was not found.")
	wantText(t, hcsshim.HotAttachEndpoint("v1-empty", missing), "The endpoint was not found.")
	wantText(t, hcsshim.HotDetachEndpoint("v1-empty", missing), "The endpoint was not found.")
	wantCode(t, endpoint.HostAttach(1), windows.Errno(windows.HCN_E_ENDPOINT_NOT_FOUND))
}

func TestAnEndpointThatIsNotAttachedIsNotDetached(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "loose")
	newContainer(t, "v1-loose", hcsshim.ContainerConfig{})
	for name, detach := range map[string]func() error{
		"from the host":        endpoint.HostDetach,
		"from a container":     func() error { return endpoint.ContainerDetach("v1-loose") },
		"from a machine's NIC": endpoint.VirtualMachineNICDetach,
	} {
		t.Run(name, func(t *testing.T) { wantCode(t, detach(), windows.ERROR_NOT_FOUND) })
	}
}

// A node has no virtual machines.
func TestAnEndpointIsNotAttachedToAVirtualMachine(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "machine")
	wantCode(t, endpoint.VirtualMachineNICAttach("nic"), windows.Errno(windows.HCN_E_REQUEST_UNSUPPORTED))
	wantState(t, endpoint, "Created")
}

func TestARemoteEndpointIsNotAttached(t *testing.T) {
	remote := newRemoteEndpoint(t, overlayNetwork(t), "192.168.92.78")
	newContainer(t, "v1-remote", hcsshim.ContainerConfig{})
	invalid := windows.Errno(windows.HCN_E_INVALID_REMOTE_ENDPOINT_OPERATION)
	wantCode(t, remote.HostAttach(1), invalid)
	wantCode(t, remote.ContainerAttach("v1-remote", 0), invalid)
}

func TestAttachingTakesThreeKindsOfSystems(t *testing.T) {
	newContainer(t, "v1-kind", hcsshim.ContainerConfig{})
	for kind, refusal := range map[hcsshim.SystemType]windows.Handle{
		hcsshim.HostType:           0,
		hcsshim.ContainerType:      0,
		hcsshim.VirtualMachineType: windows.HCN_E_REQUEST_UNSUPPORTED,
	} {
		t.Run(string(kind), func(t *testing.T) {
			endpoint := newEndpoint(t, natNetwork(t), "kind")
			// hcsshim's request has a SystemType of another package, so that its constants don't fit.
			var request hcsshim.EndpointAttachDetachRequest
			check(t, json.Unmarshal(fmt.Appendf(nil, `{"ContainerId": "v1-kind", "SystemType": %q}`, kind), &request))
			document, err := json.Marshal(request)
			check(t, err)
			attached, err := hcsshim.HNSEndpointRequest("POST", endpoint.Id+"/attach", string(document))
			if refusal != 0 {
				wantCode(t, err, windows.Errno(refusal))
				return
			}
			check(t, err)
			wantEqual(t, "state", attached.State.String(), "Attached")
		})
	}
}
