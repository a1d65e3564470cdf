package hns_test

import (
	"encoding/json"
	"testing"

	"github.com/Microsoft/hcsshim"
	"golang.org/x/sys/windows"
)

func TestANameThatNothingHasIsNotExist(t *testing.T) {
	_, ofNetwork := hcsshim.GetHNSNetworkByName("nobody")
	_, ofEndpoint := hcsshim.GetHNSEndpointByName("nobody")
	for _, found := range []struct {
		got, want error
		text      string
	}{
		{ofNetwork, hcsshim.NetworkNotFoundError{NetworkName: "nobody"}, "Network nobody not found"},
		{ofEndpoint, hcsshim.EndpointNotFoundError{EndpointName: "nobody"}, "Endpoint nobody not found"},
	} {
		wantEqual(t, "error", found.got, found.want)
		wantEqual(t, "text", found.got.Error(), found.text)
		wantEqual(t, "not exist", hcsshim.IsNotExist(found.got), true)
	}
}

func TestAContainerThatIsNotThereIsNotExist(t *testing.T) {
	_, err := hcsshim.OpenContainer("v1-nobody")
	wantEqual(t, "not exist", hcsshim.IsNotExist(err), true)
}

func TestAnIdThatNothingHasIsRefused(t *testing.T) {
	for id, texts := range map[string][3]string{
		missing:   {"The network was not found.", "The endpoint was not found.", "Element not found."},
		"no GUID": {"as a GUID", "as a GUID", "as a GUID"},
	} {
		_, err := hcsshim.GetHNSNetworkByID(id)
		wantText(t, err, texts[0])
		_, err = hcsshim.GetHNSEndpointByID(id)
		wantText(t, err, texts[1])
		_, err = hcsshim.GetPolicyListByID(id)
		wantText(t, err, texts[2])
	}
}

func TestADocumentThatIsNoJSONIsRefused(t *testing.T) {
	invalid := windows.Errno(windows.HCN_E_INVALID_JSON)
	_, err := hcsshim.HNSNetworkRequest("POST", "", "{")
	wantCode(t, err, invalid)
	_, err = hcsshim.HNSEndpointRequest("POST", "", "{")
	wantCode(t, err, invalid)
	_, err = hcsshim.HNSPolicyListRequest("POST", "", "{")
	wantCode(t, err, invalid)
}

func TestAMethodThatHNSDoesNotHaveIsRefused(t *testing.T) {
	_, err := hcsshim.HNSNetworkRequest("PATCH", "", "")
	wantText(t, err, "The specified request is unsupported.")
	_, err = hcsshim.HNSListNetworkRequest("GET", missing+"/nothing", "")
	wantText(t, err, "The specified request is unsupported.")
}

// What attaching answers with is the endpoint, of which hcsshim's type for the answer takes nothing.
func TestAttachingAnswersWithTheEndpoint(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "answer")
	attached, err := hcsshim.HNSEndpointRequest("POST", endpoint.Id+"/attach", `{"SystemType": "Host", "CompartmentId": 1}`)
	check(t, err)
	wantEqual(t, "id", attached.Id, endpoint.Id)
	document, err := json.Marshal(attached)
	check(t, err)
	var answer hcsshim.EndpointResquestResponse
	check(t, json.Unmarshal(document, &answer))
	wantEqual(t, "answer", answer, hcsshim.EndpointResquestResponse{})
}
