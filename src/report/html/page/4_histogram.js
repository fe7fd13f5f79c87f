// Shows the count of the bar under the pointer, and the limits of the range under the pointer.
{
  const number = (value) => Number(value.toPrecision(4)).toString().replaceAll('-', '\u2212');

  const addReadout = (histogram) => {
    const { low, high, first, width } = histogram.dataset;
    const [from, to, start, step] = [low, high, first, width].map(Number);
    let counts = null;  // read at the first use
    const readout = document.createElement('p');
    readout.className = 'readout';
    histogram.after(readout);
    const cursor = document.createElementNS(histogram.namespaceURI, 'rect');
    cursor.setAttribute('class', 'cursor');
    cursor.setAttribute('height', '220');

    const clear = () => {
      cursor.remove();
      readout.textContent = '';
    };
    histogram.addEventListener('pointermove', (event) => {
      counts ??= histogram.dataset.bins.split(' ').map(Number);
      const box = histogram.getBoundingClientRect();
      const x = from + (to - from) * ((event.clientX - box.left) / box.width);
      const index = Math.floor((x - start) / step);
      if (!(index >= 0 && index < counts.length)) return clear();
      const left = start + index * step;
      const percent = (value) => `${(100 * value) / (to - from)}%`;
      cursor.setAttribute('x', percent(left - from));
      cursor.setAttribute('width', percent(step));
      histogram.append(cursor);
      const count = counts[index];
      readout.textContent =
        `${number(left)} to ${number(left + step)}: ${count.toLocaleString('en')} element${count === 1 ? '' : 's'}`;
    });
    histogram.addEventListener('pointerleave', clear);
  };

  const addMarks = (article) => {
    const ranges = [...article.querySelectorAll('.range')];
    const limits = [...article.querySelectorAll('.limit')];
    const mark = (index) => {
      for (const parts of [ranges, limits]) parts.forEach((part, i) => part.classList.toggle('on', i === index));
    };
    const best = ranges.findIndex((range) => range.classList.contains('best'));
    ranges.forEach((range, index) => {
      range.tabIndex = 0;
      for (const event of ['pointerenter', 'focus']) range.addEventListener(event, () => mark(index));
      for (const event of ['pointerleave', 'blur']) range.addEventListener(event, () => mark(best));
    });
  };

  for (const histogram of document.querySelectorAll('.histogram')) addReadout(histogram);
  for (const article of document.querySelectorAll('.value')) addMarks(article);
}
