// Selects a node of the drawing by a click, or by the arrow keys along its edges and Enter.
{
  const keys = { ArrowUp: 0, ArrowDown: 1, ArrowLeft: 2, ArrowRight: 3 };
  const drawings = [...document.querySelectorAll('.drawing')];

  // Scrolls a drawing so that a box stands in its middle.
  const showMiddle = (drawing, box) => {
    const [, left, top] = /translate\(([\d.]+) ([\d.]+)/.exec(box.getAttribute('transform'));
    drawing.scrollLeft = Number(left) + box.querySelector('rect').width.baseVal.value / 2 - drawing.clientWidth / 2;
    drawing.scrollTop = Number(top) - drawing.clientHeight / 2;
  };
  const nodeName = (box) => box.querySelector('title').textContent.split(', ')[0];

  for (const drawing of drawings) {
    const boxes = drawing.querySelectorAll('a');
    let current = boxes[0], chosen = null;
    current.tabIndex = 0;
    const why = document.createElement('div');
    why.className = 'why';
    why.setAttribute('role', 'status');
    why.setAttribute('aria-label', 'The chosen node');
    why.hidden = true;
    drawing.after(why);

    const goTo = (box) => {
      current.tabIndex = -1;
      current = box;
      current.tabIndex = 0;
      current.focus();
    };

    // Shows the entry of the list for the node.
    const choose = (box) => {
      chosen?.classList.remove('chosen');
      chosen = box;
      chosen.classList.add('chosen');
      const cells = document.getElementById(box.href.baseVal.slice(1)).cells;
      why.replaceChildren(...[...cells].map((cell) => {
        const part = document.createElement('div');
        part.append(...cell.cloneNode(true).childNodes);
        return part;
      }));
      why.hidden = false;
      for (const other of drawings.filter((one) => one !== drawing)) {
        const same = [...other.querySelectorAll('a')].find((one) => nodeName(one) === nodeName(box));
        other.querySelector('.same')?.classList.remove('same');
        same?.classList.add('same');
        if (same) showMiddle(other, same);
      }
    };

    drawing.addEventListener('click', (event) => {
      const box = event.target.closest('a');
      if (!box) return;
      event.preventDefault();
      goTo(box);
      choose(box);
    });
    drawing.addEventListener('keydown', (event) => {
      const box = event.target.closest('a');
      if (!box) return;
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        return choose(box);
      }
      const next = box.dataset.keys.split(',')[keys[event.key]];
      if (!next) return;
      event.preventDefault();
      goTo(document.getElementById(`box-${next}`));
    });
    // Links a named maker to its box.
    why.addEventListener('click', (event) => {
      const link = event.target.closest('a');
      const box = link && document.getElementById(link.hash.replace('#node-', 'box-'));
      if (!box) return;
      event.preventDefault();
      goTo(box);
      choose(box);
    });
    showMiddle(drawing, current);
  }
}
