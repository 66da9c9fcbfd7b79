"""Whether a proxy serves yet, which neither its port nor its pid file tells."""

import http.client


def answers(port):
    """Whether it says 404 to a request for no host of anybody's, as it does when its workers are there."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == 404
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
