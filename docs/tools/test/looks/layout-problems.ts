/**
 * What is wrong with a page as it stands, found in the page itself: nothing to scroll sideways, no text cut off or under other text, every
 * text in contrast with what lies under it (WCAG 2.2, 1.4.3), every control large enough to hit and with a name (2.5.8, 4.1.2). These hold with
 * any fonts, which a picture does not.
 */
export const LAYOUT_PROBLEMS = `(() => {
  const problems = [];
  const say = (element, what) => problems.push(describe(element) + ': ' + what);
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width)
    problems.push('the page is ' + document.documentElement.scrollWidth + ' px wide on a screen of ' + width);

  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() === '' || !isShown(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const boxes = [...range.getClientRects()].filter((box) => box.width > 1 && box.height > 1);
    if (boxes.length > 0) texts.push({ element, boxes });
  }
  for (const { element, boxes } of texts) {
    const outside = boxes.find((box) => box.right > width + 1 || box.left < -1);
    if (outside !== undefined && !isScrolled(element)) say(element, 'text reaches from ' + Math.round(outside.left) + ' to ' + Math.round(outside.right));
    // Ids may be broken anywhere, words are read whole.
    const words = element.textContent.trim().split(/[\\s-]+/);
    if (words.every((word) => word.length <= 12) && new Set(boxes.map(({ top }) => Math.round(top))).size > words.length)
      say(element, 'is broken inside a word');
    const contrast = contrastOf(element);
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    if (contrast < least) say(element, 'contrast ' + contrast.toFixed(2));
    if (size < 11) say(element, 'letters of ' + size + ' px');
  }
  for (const [index, one] of texts.entries())
    for (const other of texts.slice(index + 1))
      if (one.boxes.some((a) => other.boxes.some((b) => meet(a, b)))) say(one.element, 'lies over ' + describe(other.element));

  for (const control of document.querySelectorAll('button, select, input, textarea, summary, a[href]')) {
    if (!isShown(control)) continue;
    // Who hits the label hits the control.
    const box = (control.closest('label') ?? control).getBoundingClientRect();
    const inText = getComputedStyle(control).display === 'inline';
    if (!inText && (box.width < 24 || box.height < 24)) say(control, 'only ' + Math.round(box.width) + ' x ' + Math.round(box.height) + ' to hit');
    if (nameOf(control) === '') say(control, 'has no name');
  }
  return problems;

  function isShown(element) {
    return element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  }
  function describe(element) {
    const classes = [...element.classList].map((name) => '.' + name).join('');
    return element.localName + classes + ' "' + (element.textContent ?? '').trim().slice(0, 30) + '"';
  }
  function nameOf(control) {
    const labels = [...(control.labels ?? [])].map((label) => label.textContent);
    return [control.getAttribute('aria-label'), control.textContent, control.getAttribute('title'), control.getAttribute('placeholder'), ...labels]
      .filter((text) => text !== null).join('').trim();
  }
  // What may be moved by itself, with the pointer or the keyboard, hides nothing.
  function isScrolled(element) {
    for (let at = element; at !== null && at !== document.body; at = at.parentElement)
      if (/auto|scroll/.test(getComputedStyle(at).overflowX)) return true;
    return false;
  }
  function meet(a, b) {
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    // Lines of one text stand in each other's leading.
    return across > 2 && down > Math.min(a.height, b.height) / 2;
  }
  function contrastOf(element) {
    const ground = groundOf(element);
    const ink = over(colour(getComputedStyle(element).color), ground);
    const [light, dark] = [luminance(ink), luminance(ground)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  }
  function groundOf(element) {
    const layers = [];
    for (let at = element; at !== null; at = at.parentElement) {
      const layer = colour(getComputedStyle(at).backgroundColor);
      layers.push(layer);
      if (layer[3] === 1) break;
    }
    const page = matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18, 1] : [255, 255, 255, 1];
    return layers.reverse().reduce((under, layer) => over(layer, under), page);
  }
  function over([r, g, b, a], [r2, g2, b2]) {
    return [r * a + r2 * (1 - a), g * a + g2 * (1 - a), b * a + b2 * (1 - a), 1];
  }
  // A canvas knows every way in which a colour may be written.
  function colour(text) {
    const paint = (colour.paint ??= document.createElement('canvas').getContext('2d', { willReadFrequently: true }));
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = text;
    paint.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = paint.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  }
  function luminance([r, g, b]) {
    const [x, y, z] = [r, g, b].map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  }
})()`;
