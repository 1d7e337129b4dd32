// Package mariatest starts private MariaDB servers from the binaries that are
// installed, for tests and measurements. It knows nothing of what is done with
// them, and must not be used to serve anybody.
package mariatest
