// Package googleauth gets access tokens of Google's, for a service account or
// for the identity that the environment gives the process. It keeps tokens in
// memory and gives them to its caller only: no error holds them.
package googleauth
