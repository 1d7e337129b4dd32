// Package bigquery is the source of tables and views in BigQuery. It prints
// scans in GoogleSQL, runs each as one job with a bound on what it may be
// billed, and passes on the Arrow batches of the Storage Read API as they are.
//
// Every call to the service has a deadline of its own: Google's client tries
// again for as long as its context lives. The package holds no rule about who
// may read what, and it runs no text of a caller's but in Query, where
// BigQuery's own dry run tells which tables the text reads.
package bigquery
