// Selects a value by a click, the arrow keys in the list, or the address.
{
  const list = document.getElementById('value-list');
  const linkOf = (row) => row.querySelector('a');

  const choose = (row) => {
    const article = document.getElementById(linkOf(row).hash.slice(1));
    for (const old of document.querySelectorAll('.value.chosen, #value-list .chosen')) {
      old.classList.remove('chosen');
      if (old.tagName === 'TR') linkOf(old).removeAttribute('aria-current');
    }
    row.classList.add('chosen');
    linkOf(row).setAttribute('aria-current', 'true');
    article.classList.add('chosen');
    history.replaceState(null, '', linkOf(row).hash);
  };

  const neighbour = (row, step) => {
    do row = step > 0 ? row.nextElementSibling : row.previousElementSibling;
    while (row && row.hidden);
    return row;
  };

  if (list) {
    const box = document.createElement('div');
    box.className = 'box';
    list.replaceWith(box);
    box.append(list);

    list.tBodies[0].addEventListener('click', (event) => {
      const row = event.target.closest('tr');
      if (!row) return;
      event.preventDefault();
      choose(row);
    });
    list.tBodies[0].addEventListener('keydown', (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const row = step && neighbour(event.target.closest('tr'), step);
      if (!row) return;
      event.preventDefault();
      choose(row);
      linkOf(row).focus();
    });
    const chooseNamed = () => {
      const link = /^#value-\d+$/.test(location.hash) && list.querySelector(`a[href="${location.hash}"]`);
      if (link) choose(link.closest('tr'));
      return link;
    };
    chooseNamed();
    // Follows a link from another part of the page, such as a value to blame.
    addEventListener('hashchange', () => {
      if (chooseNamed()) document.getElementById(location.hash.slice(1)).scrollIntoView();
    });
  }
}
