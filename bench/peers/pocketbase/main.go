// PocketBase like its official download, with two more settings from the environment: PORT, and for comparisons
// SYNCHRONOUS of SQLite. All other pragmas are those of PocketBase.
package main

import (
	"log"
	"os"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
)

func connect(synchronous string) core.DBConnectFunc {
	pragmas := "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=journal_size_limit(200000000)" +
		"&_pragma=synchronous(" + synchronous + ")&_pragma=foreign_keys(ON)&_pragma=temp_store(MEMORY)&_pragma=cache_size(-32000)"
	return func(path string) (*dbx.DB, error) { return dbx.Open("sqlite", path+pragmas) }
}

func main() {
	if port := os.Getenv("PORT"); port != "" {
		os.Args = append(os.Args, "--http=127.0.0.1:"+port)
	}
	config := pocketbase.Config{}
	if synchronous := os.Getenv("SYNCHRONOUS"); synchronous != "" {
		config.DBConnect = connect(synchronous)
	}
	if err := pocketbase.NewWithConfig(config).Start(); err != nil {
		log.Fatal(err)
	}
}
