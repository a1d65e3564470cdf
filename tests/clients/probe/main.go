// What a Windows program is given: its arguments, streams, host and Windows itself.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"

	"github.com/Microsoft/hcsshim/osversion"
	"golang.org/x/sys/windows/registry"
	"golang.org/x/sys/windows/svc/mgr"
)

const currentVersion = `SOFTWARE\Microsoft\Windows NT\CurrentVersion`

type facts struct {
	Host      string
	Build     uint16
	Registry  string
	Addresses []string
	Services  map[string]uint32
}

func main() {
	var err error
	switch os.Args[1] {
	case "arguments":
		err = json.NewEncoder(os.Stdout).Encode(os.Args[2:])
	case "copy":
		_, err = io.Copy(os.Stdout, os.Stdin)
	case "complain":
		_, err = fmt.Fprint(os.Stderr, "complaint")
	case "exit":
		code, _ := strconv.Atoi(os.Args[2])
		os.Exit(code)
	case "keep":
		err = os.WriteFile(`C:\kept`, []byte(os.Args[2]), 0o600)
	case "kept":
		var kept []byte
		if kept, err = os.ReadFile(`C:\kept`); err == nil {
			_, err = os.Stdout.Write(kept)
		}
	case "facts":
		err = tell()
	}
	if err != nil {
		panic(err)
	}
}

func tell() error {
	var found facts
	var err error
	if found.Host, err = os.Hostname(); err != nil {
		return err
	}
	found.Build = osversion.Build()
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, currentVersion, registry.QUERY_VALUE)
	if err != nil {
		return err
	}
	defer key.Close()
	if found.Registry, _, err = key.GetStringValue("CurrentBuildNumber"); err != nil {
		return err
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return err
	}
	for _, address := range addresses {
		found.Addresses = append(found.Addresses, address.String())
	}
	if found.Services, err = services("hns", "vmcompute", "nvagent"); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(found)
}

// services returns the states of services (4 is running).
func services(names ...string) (map[string]uint32, error) {
	manager, err := mgr.Connect()
	if err != nil {
		return nil, err
	}
	defer manager.Disconnect()
	states := map[string]uint32{}
	for _, name := range names {
		service, err := manager.OpenService(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		status, err := service.Query()
		service.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		states[name] = uint32(status.State)
	}
	return states, nil
}
