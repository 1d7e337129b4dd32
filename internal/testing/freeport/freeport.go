// Package freeport finds ports for the servers that tests start.
//
// It is for tests only.
package freeport

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

// Ports that systems do not choose by themselves. Where a program names no port, Linux
// takes one from 32768 on (net.ipv4.ip_local_port_range), macOS one from 49152 on.
const first, last = 15000, 32767

// Address returns an address of this machine, as 127.0.0.1:20417, that nothing listens
// on. It stays free until a server is started there: no other test's connection is given
// this port meanwhile.
func Address() (string, error) {
	var failed error
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+rand.IntN(last-first+1)))
		if err == nil {
			return l.Addr().String(), l.Close()
		}
		failed = err
	}
	return "", errors.Join(errors.New("no port is free"), failed)
}

// Port is the port of an Address.
func Port() (string, error) {
	address, err := Address()
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(address)
	return port, err
}
