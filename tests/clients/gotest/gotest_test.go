// Package gotest_test is run by go test itself: one test that passes on a node, one that must be seen to fail.
package gotest_test

import (
	"testing"

	"github.com/Microsoft/hcsshim/hcn"
)

func TestTheNodesNetworksAreListed(t *testing.T) {
	networks, err := hcn.ListNetworks()
	if err != nil || len(networks) != 0 {
		t.Errorf("networks %v, error %v", networks, err)
	}
}

func TestFailsOnPurpose(t *testing.T) {
	t.Error("on purpose")
}
