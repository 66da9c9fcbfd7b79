"""LiteLLM's proxy as a program: its application in a thread of its own, and its router, which takes deployments while it runs."""

import asyncio
import importlib
import importlib.metadata
import json
import os
import threading

SETTINGS = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # nothing is fetched from elsewhere
    "LITELLM_LOG": "ERROR",
    "LITELLM_MASTER_KEY": "sk-of-the-conformance-suite",
    "NO_PROXY": "*",
}
CONFIGURATION = {
    "model_list": [{"model_name": "none", "litellm_params": {"model": "openai/none", "api_base": "http://127.0.0.1:1"}}],
    # Who may ask is a matter of policies, not of LiteLLM's keys: the front lets pass whom it let pass.
    "general_settings": {"custom_auth": "front.anybody"},
    # The documents know retries by a policy only.
    "router_settings": {"num_retries": 0, "disable_cooldowns": True},
    "litellm_settings": {"num_retries": 0, "telemetry": False},
}


class Application:
    def __init__(self):
        self.started, self.loop, self.server, self.front = False, None, None, None

    def load(self):
        """Some ten seconds of importing, while the suite waits for `hello` and not for `start`. Says the version."""
        os.environ.update(SETTINGS)
        importlib.import_module("litellm.proxy.proxy_server")
        return importlib.metadata.version("litellm")

    def start(self, folder, port):
        path = os.path.join(folder, "config.yaml")
        with open(path, "w", encoding="utf8") as file:
            json.dump(CONFIGURATION, file)  # JSON is YAML
        os.environ["CONFIG_FILE_PATH"] = path
        self.up = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self.run(port)), daemon=True).start()
        self.up.wait()
        self.started = True

    async def run(self, port):
        import uvicorn
        from litellm.proxy.proxy_server import app

        from front import Front

        self.loop, self.front = asyncio.get_running_loop(), Front(app)
        configuration = uvicorn.Config(self.front, "127.0.0.1", port, log_level="error", access_log=False)
        self.server = uvicorn.Server(configuration)
        serving = asyncio.create_task(self.server.serve())
        while not self.server.started and not serving.done():
            await asyncio.sleep(0.01)
        self.up.set()
        await serving

    def take(self, hosts, deployments):
        """Deployments first, so that no request meets a model that is not there yet; what is unused is taken out at the end."""
        asyncio.run_coroutine_threadsafe(self.change(hosts, deployments), self.loop).result()

    async def change(self, hosts, deployments):
        from litellm.proxy import proxy_server
        from litellm.types.router import Deployment

        router = proxy_server.llm_router
        known = set(router.get_model_ids())
        for each in deployments.values():
            if each["model_info"]["id"] not in known:
                router.upsert_deployment(Deployment(**each))
        self.front.hosts = hosts
        for gone in known - set(deployments):
            router.delete_deployment(id=gone)
            router.pattern_router.remove_deployment(gone)

    def stop(self):
        if self.server is not None:
            self.server.should_exit = True
