// Lists a node's networks for every line that it reads, and prints how that ended.
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/Microsoft/hcsshim/hcn"
)

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		networks, err := hcn.ListNetworks()
		if err != nil {
			fmt.Println(err)
		} else {
			fmt.Println(len(networks), "networks")
		}
	}
}
