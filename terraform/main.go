// The Terraform and OpenTofu provider for Junction.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/junction-platform/terraform-provider-junction/internal/provider"
)

// version is set by the linker.
var version = "dev"

func main() {
	options := providerserver.ServeOpts{Address: "registry.opentofu.org/junction-platform/junction"}
	if err := providerserver.Serve(context.Background(), provider.New(version), options); err != nil {
		log.Fatal(err)
	}
}
