'use strict';
document.documentElement.classList.add('scripted');

// A click on a heading sorts its table; a second click reverses it. Numbers start with the largest.
{
  const keyOf = (row, column, kind) => {
    const cell = row.cells[column];
    if (kind === 'text') return cell.textContent.trim();
    const key = cell.dataset.key;
    return key === undefined || key === '' ? NaN : Number(key);
  };

  // Missing numbers come last in both directions.
  const compare = (a, b, kind, sign) => {
    if (kind === 'text') return sign * a.localeCompare(b, undefined, { numeric: true });
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return a === b ? 0 : sign * (a < b ? -1 : 1);
  };

  const sort = (heading) => {
    const kind = heading.dataset.sort;
    const before = heading.getAttribute('aria-sort');
    const first = kind === 'text' ? 'ascending' : 'descending';
    const second = kind === 'text' ? 'descending' : 'ascending';
    const direction = before === first ? second : first;
    for (const other of heading.parentNode.cells) other.removeAttribute('aria-sort');
    heading.setAttribute('aria-sort', direction);
    const body = heading.closest('table').tBodies[0];
    const sign = direction === 'ascending' ? 1 : -1;
    const keyed = Array.from(body.rows, (row) => [keyOf(row, heading.cellIndex, kind), row]);
    keyed.sort(([a], [b]) => compare(a, b, kind, sign));
    body.append(...keyed.map(([, row]) => row));
  };

  for (const heading of document.querySelectorAll('th[data-sort]')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener('click', () => sort(heading));
  }
}
