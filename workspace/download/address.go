package download

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"

	"github.com/agnes-data/da/api"
)

// reserved lists the networks that are not part of the public internet, in
// addition to those that package netip knows.
func reserved() []string {
	return []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"240.0.0.0/4",
		"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "5f00::/16",
	}
}

// public reports whether an address is one of the public internet.
func public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	return !slices.ContainsFunc(reserved(), func(text string) bool { return netip.MustParsePrefix(text).Contains(a) })
}

// dial connects to the first address of a host. All addresses must be public: a
// name that also resolves to a private network is an attempt to get into it.
func (o Options) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addresses := []netip.Addr{}
	if literal, err := netip.ParseAddr(host); err == nil {
		addresses = append(addresses, literal)
	} else if addresses, err = o.Resolve(ctx, host); err != nil {
		return nil, err
	}
	for _, a := range addresses {
		if !public(a) {
			return nil, refused(api.KindPrivateAddress, "'"+api.Clip(host, 80)+"' is not on the public internet",
				"Files are only downloaded from public addresses. Download it yourself and put it into the workspace.")
		}
	}
	err = errors.New("the name has no address")
	for _, a := range addresses {
		var c net.Conn
		if c, err = o.Dial(ctx, network, net.JoinHostPort(a.Unmap().String(), port)); err == nil {
			return c, nil
		}
	}
	return nil, err
}
