// Package providertest is a model for tests: a server that speaks the protocols
// of package provider and answers what a function says, also slowly, cut, in odd
// pieces and with errors; and the suite that every provider passes. It reads
// requests by its own code, so that a mistake in package provider shows. Only
// tests import it.
package providertest
