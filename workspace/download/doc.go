// Package download downloads files from the web into the workspace: only over
// https, only from allowed hosts, and only from public addresses. An address is
// checked when it is dialed, so no host name and no redirect can lead to this
// machine or its network.
package download
