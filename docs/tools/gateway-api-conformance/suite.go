// Package suite imports the conformance suite of the Gateway API so that go.mod says which version of it is run.
package suite

import _ "sigs.k8s.io/gateway-api/conformance"
