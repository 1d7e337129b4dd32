// Package download brings files of the web into the workspace: by https alone,
// from hosts that are allowed, and from public addresses only. An address is
// checked when it is dialled, so that no name and no redirect leads to this machine
// or its network.
package download
