import Theme from 'vitepress/theme-without-fonts';
import './sequence.css';

export default Theme;
