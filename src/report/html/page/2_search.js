// Adds a search field above every list; it shows the rows that contain all words.
{
  // A folded list would hide matching rows.
  const unfold = (table) => {
    if (table.classList.contains('folded')) table.nextElementSibling.click();
  };
  const textOf = (row) => row.textContent.toLowerCase();

  const addSearch = (holder) => {
    const table = document.getElementById(holder.dataset.search);
    const rows = Array.from(table.tBodies[0].rows, (row) => ({ row, text: textOf(row) }));

    const field = document.createElement('input');
    field.type = 'search';
    field.placeholder = holder.dataset.label;
    field.setAttribute('aria-label', holder.dataset.label);
    field.setAttribute('aria-controls', table.id);
    const count = document.createElement('output');
    const tools = document.createElement('div');
    tools.className = 'tools';
    tools.append(field);

    let box = null;
    if (holder.dataset.floatOnly && rows.some(({ row }) => row.classList.contains('float'))) {
      box = document.createElement('input');
      box.type = 'checkbox';
      const label = document.createElement('label');
      label.append(box, holder.dataset.floatOnly);
      tools.append(label);
    }
    tools.append(count);
    holder.prepend(tools);

    const filter = () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      if (words.length > 0 || box?.checked) unfold(table);
      for (const { row, text } of rows) {
        const fits = words.every((word) => text.includes(word)) && !(box?.checked && !row.classList.contains('float'));
        row.hidden = !fits;
        shown += fits;
      }
      count.textContent = shown === rows.length ? '' : `${shown} of ${rows.length}`;
    };
    field.addEventListener('input', filter);
    box?.addEventListener('change', filter);
    filter();  // a browser may keep the text of the field after a reload
  };

  for (const holder of document.querySelectorAll('[data-search]')) addSearch(holder);
}

// Folds long charts and lists to their first rows.
for (const table of document.querySelectorAll('table[data-shown]')) {
  const rows = table.tBodies[0].rows.length;
  if (rows <= Number(table.dataset.shown)) continue;
  table.classList.add('folded');
  const more = document.createElement('button');
  more.type = 'button';
  more.className = 'more';
  more.textContent = `Show all ${rows} ${table.dataset.rows ?? 'layers'}`;
  more.setAttribute('aria-controls', table.id);
  more.addEventListener('click', () => {
    table.classList.remove('folded');
    more.remove();
  });
  table.after(more);
}
