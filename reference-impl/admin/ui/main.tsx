import { render } from 'preact';
import { App } from './app.tsx';
import './style.css';

const app = document.querySelector('#app');
if (app !== null) {
  app.replaceChildren();
  render(<App />, app);
}
