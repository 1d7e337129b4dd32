// Package googleauth gets Google access tokens, for a service account or for the
// identity that the environment gives the process. It keeps tokens in memory and
// returns them only to its caller: errors never contain them.
package googleauth
