// Package bigquery is the source of tables and views in BigQuery. It writes scans
// in GoogleSQL, runs each as one job with a limit on the billed bytes, and passes
// on the Arrow batches of the Storage Read API unchanged.
//
// Every call to the service has its own deadline, because Google's client retries
// for as long as its context lives. The package decides nothing about who may read
// what. It runs a caller's text only in Query, where BigQuery's dry run reports
// which tables the text reads.
package bigquery
