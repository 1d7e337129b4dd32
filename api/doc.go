// Package api is the contract between the parts of da: requests, responses,
// the stream of a result, the error vocabulary, and the service interfaces
// that the server core and the HTTP client both implement.
//
// It holds no behaviour beyond validating its own values, and imports nothing
// else of this module: everything may import it.
package api
