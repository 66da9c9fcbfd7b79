// Package definitions imports the Gateway API so that go.mod says which version of its CustomResourceDefinitions is installed.
package definitions

import _ "sigs.k8s.io/gateway-api/apis/v1"
