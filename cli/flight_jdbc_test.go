package cli

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// TestJDBC asks what tools ask, by the driver of the Arrow project.
func TestJDBC(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "javac")
	jar, err := filepath.Abs("../.cache/jdbc/flight-sql-jdbc-driver-18.3.0.jar")
	if err != nil {
		t.Fatal(err)
	}
	testneed.File(t, jar, "the Flight SQL driver for JDBC", "make needs")
	program, err := filepath.Abs("testdata/jdbc/Reads.java")
	if err != nil {
		t.Fatal(err)
	}
	java, err := exec.LookPath("java")
	if err != nil {
		t.Fatal(err)
	}
	admin, address := flightServer(t, "")
	admin.ok("admin", "user", "create", "ann")
	var made struct{ Token string }
	if err := json.Unmarshal([]byte(admin.ok("admin", "token", "create", "--user", "ann", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	cmd := admin.with("DA_TOKEN="+made.Token, "DA_FLIGHT="+address).command()
	cmd.Path = java
	cmd.Args = []string{"java", "--add-opens=java.base/java.nio=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", jar, program}
	out := finish(t, cmd)
	want := `da, read only: true
catalogs: ` + `
schemas: ` + `
types of tables: TABLE
tables:  flights TABLE
columns: flights date 93 TIMESTAMP flights delay 4 INTEGER flights distance 4 INTEGER flights destination 12 VARCHAR
keys:
foreign keys:
n BIGINT
rows: ORD 16569 DFW 15684
again: ORD 16569 DFW 15684
Error while executing SQL "SELECT * FROM airports": no access to table 'airports'. [forbidden]
`
	if out.code != 0 || out.stdout != want {
		t.Errorf("exit %d\n%s\n%s", out.code, out.stdout, out.stderr)
	}
}
