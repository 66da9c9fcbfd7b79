// A load generator for one address: node bench/load.ts PORT HOST PATH CONNECTIONS MILLISECONDS [MESSAGE]. MESSAGE is JSON:
// {method, headers, body, bodyBytes}. Prints requests per second.
import { drive, type Message } from './drive.ts';

const [port = '0', host = 'localhost', path = '/', connections = '32', milliseconds = '1000', message = '{}'] =
  process.argv.slice(2);
const { answers, seconds } = await drive({
  port: Number(port),
  host,
  path,
  connections: Number(connections),
  milliseconds: Number(milliseconds),
  message: JSON.parse(message) as Message,
});
console.log(String(answers / seconds));
