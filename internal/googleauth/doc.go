// Package googleauth gets access tokens of Google's, for a service account or
// for the identity that the environment gives the process. It keeps tokens in
// memory and tells them to nobody but its caller: they stand in no error.
package googleauth
